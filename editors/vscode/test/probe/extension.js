// Runs functions of the tests in the extension host. They arrive on a loopback port, and their results are sent back.
// Each extension host writes its port to a file in the folder EDITD_PROBES.
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
  server.listen(0, '127.0.0.1', () => writePort(server.address().port));
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

function writePort(port) {
  const file = join(process.env.EDITD_PROBES, `${process.pid}.json`);
  writeFileSync(`${file}.new`, JSON.stringify({ pid: process.pid, port }));
  renameSync(`${file}.new`, file);
}

module.exports = { activate };
