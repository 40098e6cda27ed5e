async function sendOnce(key, message) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await api("POST", "/messages/text", message, { "Idempotency-Key": key });
    } catch (error) {
      const passing = error.status === undefined || [429, 502, 503, 504].includes(error.status);
      if (!passing || error.code === "limite_do_rede" || attempt === 4) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000 * Math.max(error.retryAfter ?? 0, 2 ** attempt)));
    }
  }
}

await sendOnce("pedido-1042-confirmacao", { to: "5511900000002", text: "Pedido 1042 confirmado", reference: "pedido-1042" });
