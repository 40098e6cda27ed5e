await api("POST", "/instance/connect");
for (;;) {
  const { status } = (await api("GET", "/instance")).data;
  if (status === "connected") break;
  if (status === "scan_qr") console.log((await api("GET", "/instance/qr")).data.raw);
  await new Promise((resolve) => setTimeout(resolve, 5000));
}
