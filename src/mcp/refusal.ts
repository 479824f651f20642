// A refusal of a request as a whole, where no message of it was carried out.
export function refusal(status: number, message: string, code = -32_600): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status });
}
