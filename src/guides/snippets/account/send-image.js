const store = `/instances/${process.env.INSTANCE_ID}`;
await api("POST", `${store}/messages/image`, {
  to: "5511900000002",
  media: { url: "https://example.com/photo.jpg" },
  caption: "The photo",
});
