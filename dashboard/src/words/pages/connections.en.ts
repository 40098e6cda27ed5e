import type { Words } from "../words.ts";
import type pt from "./connections.pt.ts";

const number = (count: number) => count.toLocaleString("en");

const en: Words<typeof pt> = {
  title: "Connections",
  create: "New connection",
  used: (used, most) => `${number(used)} of ${number(most)} connections of the plan in use`,
  full: (most) =>
    most === 1 ? "Your plan allows 1 connection, and you have it." : `Your plan allows ${number(most)} connections, and you have them all.`,
  plan: "See the plan",
  noSubscription: "Without an active subscription no connections can be made.",
  search: "Search by name or phone",
  status: "Status",
  of: "Whose",
  ofOwner: "Mine",
  ofShared: "Shared",
  attention: "They need you",
  attentionMore: (more) => (more === 1 ? "and 1 more connection" : `and ${more} more connections`),
  list: "Your connections",
  noPhone: "no number yet",
  shared: { operator: "shared, you operate it", viewer: "shared, you only look" },
  pair: "Pair",
  connect: "Reconnect",
  read: "See what to do",
  named: (action, name) => `${action}: ${name}`,
  connecting: (name) => `Connecting ${name}`,
  viewer: "Viewers only look. Ask the owner to make you an operator.",
  noMatch: "No connection matches the filters",
  clear: "Clear the filters",
  count: (rows) => (rows === 1 ? "1 connection" : `${rows} connections`),
  next: "Next page",
  first: "First page",
  pages: "Pages",
  lost: "Reconnecting… Statuses may be late.",
  emptyTitle: "Connect your first number",
  empty: "In less than a minute, a phone number receives and sends messages for your system.",
  steps: {
    name: "Make the connection",
    nameText: "A name to know the number by: the shop, the team.",
    scan: "Scan the QR code",
    scanText: "In the phone's WhatsApp, under Linked devices.",
    send: "Send the first message",
    sendText: "On the chats page or through the API.",
  },
  dialog: {
    title: "New connection",
    name: "Name of the connection",
    hint: "For example, Downtown store. It can be changed later.",
    submit: "Make it and pair",
    submitCloud: "Make it and connect",
    kind: "Kind",
    kinds: { session: "Paired phone", cloud_api: "Meta's Cloud API" },
    kindHints: {
      session: "A phone with WhatsApp scans a QR code.",
      cloud_api: "A number of the WhatsApp Business Platform, with an app of yours at Meta. There is no phone to pair.",
    },
  },
};
export default en;
