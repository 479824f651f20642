// Answers that are longer than a connection takes at once.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { connect, type AddressInfo } from "node:net";
import { test } from "node:test";
import { sendResponse } from "../../../src/server/listening/answers.ts";
import { fulfilled } from "../../support/waiting.ts";

test("an answer that waits for its reader many times leaves no listener behind", async () => {
  const pieces = 60;
  const piece = new Uint8Array(2 ** 18);
  const counts: number[] = [];
  const server = createServer((_incoming, outgoing) => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          counts.push(
            outgoing.listenerCount("close") +
              outgoing.listenerCount("error") +
              outgoing.listenerCount("drain"),
          );
          if (sent++ < pieces) controller.enqueue(piece);
          else controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const response = new Response(body, { headers: { "content-type": "application/x-ndjson" } });
    const streaming = { endless: new AbortController().signal, onStream: () => () => {} };
    void sendResponse(response, outgoing, streaming);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // It listens at a port.
  const socket = connect(port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n");
  socket.resume();
  await fulfilled("the whole answer", once(socket, "close"));
  assert.equal(counts.length, pieces + 1);
  assert.equal(counts.at(-1), counts[1]);
  server.close();
});
