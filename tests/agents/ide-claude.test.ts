// The diffs of Claude Code in its manual mode.
import { diffs } from './ide.ts';
import { claude } from './native/claude.ts';
import { installed } from './support/tools.ts';

diffs({
  ...claude,
  author: 'claude-code',
  found: '.claude/ide',
  configure: (place, modelUrl) => {
    // The questions of the first start are answered.
    const projects = { [place.work]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } };
    place.configure('.claude.json', JSON.stringify({ hasCompletedOnboarding: true, theme: 'dark', projects }));
    const { env } = claude.configure(place, modelUrl);
    const { ANTHROPIC_API_KEY: token = '', ...rest } = env;
    return {
      command: [installed('claude'), '--model', 'claude-sonnet-5', '--permission-mode', 'default', 'Play your part.'],
      env: { ...rest, ANTHROPIC_AUTH_TOKEN: token },
    };
  },
});
