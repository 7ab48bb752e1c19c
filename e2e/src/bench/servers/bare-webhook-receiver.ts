// A receiver of webhooks. It accepts everything at `/hook`, never answers at `/dead`, and returns the number of accepted requests at `/count`.
import { createServer } from 'node:http';
import { requireSetting } from '../../programs/require-setting.js';

let accepted = 0;
let signed = 0;
let underWay = 0;

createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ accepted, signed, underWay }));
    return;
  }
  request.resume();
  request.on('end', () => {
    if (request.url === '/dead') {
      underWay += 1;
      response.once('close', () => {
        underWay -= 1;
      });
      return;
    }
    accepted += 1;
    if (request.headers['webhook-signature'] !== undefined) signed += 1;
    response.writeHead(204).end();
  });
}).listen(Number(requireSetting('PORT')), '127.0.0.1');
