// Answers on a loopback port: runs the function that a test sends, in the extension host, and sends back what it
// gives. The port is told in a file, one for each extension host, in the folder that EDITD_PROBES names.
'use strict';

const { createServer } = require('node:http');
const { renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const vscode = require('vscode');

function activate(context) {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', async () => response.end(JSON.stringify(await answer(JSON.parse(body)))));
  });
  server.listen(0, '127.0.0.1', () => tell(server.address().port));
  context.subscriptions.push({ dispose: () => server.close() });
}

async function answer({ source, args }) {
  try {
    const extension = vscode.extensions.getExtension('editd.editd');
    const api = extension?.isActive ? extension.exports : undefined;
    const run = new Function('vscode', 'require', `return (${source});`)(vscode, require);
    return { value: await run({ vscode, api, require }, ...args) };
  } catch (error) {
    return { error: { message: error?.message ?? String(error), stack: error?.stack ?? '' } };
  }
}

function tell(port) {
  const file = join(process.env.EDITD_PROBES, `${process.pid}.json`);
  writeFileSync(`${file}.new`, JSON.stringify({ pid: process.pid, port }));
  renameSync(`${file}.new`, file);
}

module.exports = { activate };
