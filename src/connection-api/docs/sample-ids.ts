// The ids that the examples use. The two numbers are the ones a sandbox starts with; the rest stands for ids of one's own.

export const SAMPLE = {
  contact: "5511900000002",
  other: "5511900000003",
  chat: "5511900000002@c.us",
  message: "3EB0C431C26A1916E07A",
  group: "120363041234567890@g.us",
  invite: "AbCdEfGhIjKlMnOpQrStUv",
  label: "1",
  channel: "120363041234567891@newsletter",
  channelMessage: "100",
  call: "A1B2C3D4E5F60718293A4B5C6D7E8F90",
  /** A file that anybody may fetch. */
  file: (name: string) => `https://example.com/${name}`,
} as const;

/** What stands in a path when the route says nothing of its own. */
export const PARAMS: Readonly<Record<string, string>> = {
  chatId: SAMPLE.chat,
  contactId: SAMPLE.chat,
  messageId: SAMPLE.message,
  groupId: SAMPLE.group,
  labelId: SAMPLE.label,
  channelId: SAMPLE.channel,
  serverId: SAMPLE.channelMessage,
};
