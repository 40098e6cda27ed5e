async function sendOnce(key, message) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return (await api("POST", `/instances/${process.env.INSTANCE_ID}/messages/text`, message, { "Idempotency-Key": key })).data;
    } catch (error) {
      if (error.code === "send_outcome_unknown") return statusOf(error.details.message_id);
      const passing = error.status === undefined || [429, 502, 503, 504].includes(error.status);
      if (!passing || error.code === "network_rate_limited" || attempt === 4) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000 * Math.max(error.retryAfter ?? 0, 2 ** attempt)));
    }
  }
}

/** Its `status` is `pending` until the network reports the outcome; then `sent` or better, or `failed`. */
async function statusOf(messageId) {
  return (await api("GET", `/instances/${process.env.INSTANCE_ID}/messages/${messageId}`)).data;
}

const order = { to: "5511900000002", text: "Order 1042 confirmed", reference: "order-1042" };
const { message_id, status } = await sendOnce("order-1042-confirmation", order);
console.log((await statusOf(message_id)).reference, status);
