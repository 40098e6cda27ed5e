const { data: deliveries } = await api("GET", `/webhooks/${process.env.WEBHOOK_ID}/deliveries?status=failed`);
for (const { id } of deliveries) await api("POST", `/webhooks/${process.env.WEBHOOK_ID}/deliveries/${id}/resend`);
