/** Targets of commands: given by the tree or a lens, or found at the cursor. */
export interface ProposalSubject {
  readonly kind: 'proposal';
  readonly id: string;
}

export interface FileSubject {
  readonly kind: 'file';
  readonly id: string;
  readonly path: string;
}

export interface HunkSubject {
  readonly kind: 'hunk';
  readonly id: string;
  readonly path: string;
  readonly hunk: string;
}

export type Subject = ProposalSubject | FileSubject | HunkSubject;

export function isSubject(value: unknown): value is Subject {
  const { kind, id } = (value ?? {}) as Partial<Subject>;
  return typeof id === 'string' && (kind === 'proposal' || kind === 'file' || kind === 'hunk');
}
