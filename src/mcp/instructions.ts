// What an agent is told of the server before it uses it.
export const instructions = `Vivarium runs untrusted TypeScript and JavaScript, each variant in a sandbox of its own, without network, files or host.
1. run_code runs a script (its last expression is the value) or a module's default export once, and leaves nothing behind.
2. create_sandbox makes one that lives: give source (module "main") or modules; call "main.fn" with JSON args. Variables keep their values.
3. Code that fails is a result, never an error of the tool: look at ok, then error.kind, error.message, diagnostics and thrown.stack (your own lines).
4. An isError answer is a mistake in the call itself; its sentence says what must be different.
5. evaluate measures many candidates (sources or ids) against test cases at once and ranks them; keep: n lets the best n live on.
6. For evolution give parentIds or forkOf and a mutation note; population_summary and lineage tell how it stands and where one comes from.
7. reload puts new code into a living sandbox, all or nothing; diff shows versions; rollback goes back.
8. Long texts are cut with a note; whole sources and logs are the resources vivarium://sandboxes/{id}/source/{module} and …/logs.
9. Ids of yours begin with your prefix, which you may leave away. You see only your own sandboxes.
10. destroy what you do not need any more; idle sandboxes and those of an ended session are destroyed anyway.`;
