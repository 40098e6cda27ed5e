const { data: instance } = await api("POST", "/instances", { name: "Store" });
await api("POST", `/instances/${instance.id}/connect`);
for (;;) {
  const { status } = (await api("GET", `/instances/${instance.id}/status`)).data;
  if (status === "connected") break;
  if (status === "scan_qr") console.log((await api("GET", `/instances/${instance.id}/qr`)).raw);
  await new Promise((resolve) => setTimeout(resolve, 5000));
}
