// The file of most scenes.
import type { Edited } from './desk.ts';
import type { Replacement } from './hands.ts';

export const CART = `def total(items):
        amount = 0
        for item in items:
                amount += item.price
        return amount
`;

/** An edit of the file. */
export const EDIT: Replacement = ['cart.py', '        amount = 0', '        amount = 1'];

/** The file before the edit and after it. */
export const EDITED: Edited = { name: 'cart.py', before: CART, after: CART.replace('= 0', '= 1') };
