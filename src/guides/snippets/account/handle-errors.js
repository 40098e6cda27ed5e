try {
  await api("GET", "/instances/00000000-0000-4000-8000-000000000000");
} catch (error) {
  if (error.code === "instance_not_found") console.log("not there, or of another account");
  else if (error.status === 429 || error.status >= 502) console.log("again in", Math.max(error.retryAfter, 1), "s");
  else throw error;
}
