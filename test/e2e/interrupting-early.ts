// Loaded before the command: sends it Ctrl-C as soon as it has begun to listen for that, while it is still starting.

process.on("newListener", function interrupt(name) {
  if (name !== "SIGINT") return;
  process.off("newListener", interrupt);
  setImmediate(() => process.kill(process.pid, "SIGINT"));
});
