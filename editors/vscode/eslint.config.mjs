import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import ts from 'typescript-eslint';

const typescript = {
  files: ['**/*.ts'],
  extends: [ts.configs.strictTypeChecked, ts.configs.stylisticTypeChecked],
  languageOptions: { parserOptions: { projectService: true } },
  rules: {
    '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    '@typescript-eslint/no-floating-promises': [
      'error',
      { allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: 'test' }] },
    ],
    eqeqeq: 'error',
  },
};

/** Rules of the review page, in ../page. */
export const page = defineConfig(js.configs.recommended, {
  ...typescript,
  rules: {
    ...typescript.rules,
    // Text from agents must not become markup: src/dom.ts makes text nodes.
    'no-restricted-syntax': [
      'error',
      {
        selector:
          'MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML|setHTMLUnsafe|srcdoc|parseFromString)$/]',
        message: 'Use the functions in src/dom.ts instead.',
      },
    ],
  },
});

export default defineConfig(
  { ignores: ['out/', 'node_modules/'] },
  js.configs.recommended,
  {
    ...typescript,
    rules: {
      ...typescript.rules,
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // Text from agents must not become links or icons: src/messages.ts escapes it.
      'no-restricted-syntax': [
        'error',
        {
          selector: 'MemberExpression[property.name=/^(show(Information|Warning|Error)Message|setStatusBarMessage)$/]',
          message: 'Use the functions in src/messages.ts instead.',
        },
      ],
    },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: {
      globals: { process: 'readonly', console: 'readonly', require: 'readonly', module: 'writable', URL: 'readonly' },
    },
  },
);
