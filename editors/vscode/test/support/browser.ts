// The Chromium that shows the workbench.
import { join } from 'node:path';
import { type BrowserContext, chromium as playwright } from 'playwright-core';
import type { Environment } from './processes';
import { chromium } from './tools';

/** Starts a browser with a separate profile, which can only reach this machine. */
export function browse(folder: string, env: Environment): Promise<BrowserContext> {
  return playwright.launchPersistentContext(join(folder, 'chromium'), {
    executablePath: chromium,
    headless: true,
    chromiumSandbox: false,
    env,
    viewport: { width: 1440, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    ],
  });
}
