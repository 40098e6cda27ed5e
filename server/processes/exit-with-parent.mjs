// Loaded first into every sandbox process. Ends the process if the sandbox is killed.
if (process.channel !== undefined) {
  process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref();
}
