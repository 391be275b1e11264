// A broadcast server on Node's `ws`.
//
//   node ws-server.js [CERTIFICATE KEY]
//
// What a client sends goes to all others, by a send for each client, which is how the library's own
// documentation broadcasts: it documents no way to frame a message once for all. permessage-deflate
// is off, which is its default on servers.
'use strict';

const fs = require('fs');
const http = require('http');
const https = require('https');
const { WebSocket, WebSocketServer } = require('ws');

const [certificate, key] = process.argv.slice(2);
const server = certificate
  ? https.createServer({ cert: fs.readFileSync(certificate), key: fs.readFileSync(key) })
  : http.createServer();
const gateway = new WebSocketServer({ server });

gateway.on('connection', (sender) => {
  // The clients of the benchmark reset their connections when they are done.
  sender.on('error', () => {});
  sender.on('message', (data, isBinary) => {
    gateway.clients.forEach((client) => {
      if (client === sender || client.readyState !== WebSocket.OPEN) return;
      client.send(data, { binary: isBinary });
    });
  });
});

server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
  console.log(`listening on 127.0.0.1:${server.address().port}`);
});
