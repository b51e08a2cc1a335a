// Texts that a person can edit in a box of a browser.
import type { ReviewDesk } from './desk';
import { sideText } from './fileText';
import type { ChangedFile, Hunk, SideText } from './wire';

/** Returns the text to correct, with LF, or the reason why it cannot be corrected here. */
export async function fileText(desk: ReviewDesk, file: ChangedFile): Promise<SideText | string> {
  const isWithoutText = ({ kind, before }: Hunk): boolean =>
    kind === 'binary' || kind === 'whole' || kind === 'delete' || before !== undefined;
  if (file.action === 'delete' || file.hunks.some(isWithoutText)) {
    return 'This file has no text to edit.';
  }
  try {
    const { text, hash } = await sideText(desk.session, desk.review.proposal.id, 'proposed', file.path);
    const plain = text.replaceAll('\r\n', '\n');
    // A browser changes other line endings. The daemon restores CRLF.
    return plain.includes('\r')
      ? 'A browser would change the line endings of this file. Correct it in an editor.'
      : { text: plain, hash };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
