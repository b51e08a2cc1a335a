// The rules are those of the extension, which has the packages.
export { page as default } from '../vscode/eslint.config.mjs';
