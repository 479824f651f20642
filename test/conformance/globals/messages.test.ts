// Headers, Request and Response of guests that were granted `fetch`: as Node has them.
import { fetchCapability, type Runtime } from "../../../src/index.ts";
import { testAlike } from "../../support/alike.ts";
import { startRuntime } from "../../support/runtimes.ts";

const started = await startRuntime({
  capabilities: { fetch: fetchCapability({ origins: ["https://example.com"] }) },
});
// Those that compare create their sandboxes without grants; they use nothing else of it.
const runtime = {
  create: (spec: object) => started.create({ ...spec, capabilities: ["fetch"] }),
} as unknown as Runtime;

testAlike(runtime, "Headers work", [
  "[...new Headers({ B: '1', a: ' 2 ' })]",
  "[...new Headers([['a', '1'], ['A', '2']])]",
  "new Headers({ 'a b': '1' })",
  "new Headers({ a: 'x\\ny' })",
  "new Headers([['a']])",
  "new Headers(5)",
  "((h) => { h.append('a', 1); h.append('a', 2); h.set('b', 3); h.delete('c'); return [h.get('A'), h.has('b'), h.get('z'), [...h.keys()], [...h.values()]]; })(new Headers())",
  "((h) => { const all = []; h.forEach((value, name) => all.push(name, value)); return all; })(new Headers({ a: '1' }))",
  "new Headers(new Headers({ a: '1' })).get('a')",
  "String(new Headers())",
  "((h) => [h.getSetCookie(), [...h]])(new Headers([['set-cookie', 'a'], ['set-cookie', 'b']]))",
]);
testAlike(runtime, "Request and Response work", [
  "((r) => [r.method, r.url, r.redirect, [...r.headers], r.body, r.bodyUsed, r.signal.aborted, String(r)])(new Request('http://a.example/x'))",
  "((r) => [r.method, [...r.headers]])(new Request('http://a.example', { method: 'patch', headers: { a: '1' }, body: 'x' }))",
  "new Request('http://a.example', { method: 'POST', body: 'é' }).text()",
  "new Request('http://a.example', { body: 'x' })",
  "new Request('nope')",
  "new Request('http://a.example', { method: 'a b' })",
  "new Request('http://a.example', { redirect: 'x' })",
  "new Request('http://a.example', { signal: 5 })",
  "((r) => [new Request(r).method, r.bodyUsed])(new Request('http://a.example', { method: 'PUT', body: 'x' }))",
  "((r) => Promise.all([r.clone().text(), r.text()]))(new Request('http://a.example', { method: 'PUT', body: 'x' }))",
  "((r) => [r.status, r.ok, r.statusText, r.type, r.url, r.redirected, r.body, [...r.headers], String(r)])(new Response())",
  "((r) => [r.status, r.ok, [...r.headers]])(new Response('x', { status: 404, statusText: 'No' }))",
  "new Response('{\"a\":1}').json()",
  "new Response('nope').json()",
  "new Response(new Uint8Array([1, 2])).bytes()",
  "new Response(new Uint8Array([1, 2]).buffer).arrayBuffer()",
  "new Response('x', { status: 204 })",
  "new Response('x', { status: 99 })",
  "new Response(null, { status: 204 }).text()",
  "Response.json({ a: 1 }).text()",
  "[...Response.json({ a: 1 }).headers]",
  "Response.json(undefined)",
  "((r) => [r.status, r.headers.get('location')])(Response.redirect('http://a.example/x', 301))",
  "Response.redirect('http://a.example/x', 200)",
  "[Response.error().status, Response.error().type]",
  "(async (r) => { await r.text(); return r.text(); })(new Response('x'))",
  "(async (r) => { await r.text(); return r.clone(); })(new Response('x'))",
  "((r) => { r.text(); return r.bodyUsed; })(new Response('x'))",
  "(async () => { const all = []; for await (const piece of new Response('abc').body) all.push(...piece); return all; })()",
  "(async (r) => { const reader = r.body.getReader(); const first = await reader.read(); const second = await reader.read(); return [first.done, [...first.value], second.done, r.body.locked]; })(new Response('ab'))",
  "new Response(new URLSearchParams({ a: '1' })).headers.get('content-type')",
  "new Response(5).text()",
  "new Response({}).text()",
  "structuredClone(new Response())",
]);
