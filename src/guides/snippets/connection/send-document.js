await api("POST", "/messages/document", {
  to: "5511900000002",
  media: { base64: Buffer.from("Pedido 1042\n").toString("base64"), filename: "pedido.txt", mimetype: "text/plain" },
});
