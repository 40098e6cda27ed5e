import type { Texts } from "../catalog.ts";
import type pt from "../pt/connections.ts";

const number = (count: number) => count.toLocaleString("en");

const en: Texts<typeof pt> = {
  title: "Connections",
  create: "New connection",
  used: (used, most) => `Connections in your plan: ${number(used)} of ${number(most)} used`,
  atLimit: "Plan limit reached",
  full: (most) =>
    most === 1
      ? "Your plan allows 1 connection, and you already have one."
      : `Your plan allows ${number(most)} connections, and you're using all of them.`,
  plan: "See the plan",
  noSubscription: "You need an active subscription to create connections.",
  noPlan: {
    title: "Your account is ready. All it needs is a subscription.",
    text: "Once it's active, you can connect your number and get started.",
    ask: "Once it's active, you can connect your number and get started. Ask the people who run this service to activate yours.",
    subscribe: "Subscribe now",
    again: "Check again",
    notYet: "The subscription isn't active yet.",
  },
  filters: "Filters",
  search: "Search by name or phone",
  status: "Status",
  of: "Owner",
  ofOwner: "Mine",
  ofShared: "Shared",
  attention: "Needs your attention",
  attentionMore: (more) => (more === 1 ? "and 1 more connection" : `and ${more} more connections`),
  list: "Your connections",
  noPhone: "no number yet",
  shared: { operator: "shared with you as operator", viewer: "shared with you as viewer" },
  pair: "Pair",
  connect: "Reconnect",
  read: "See what to do",
  named: (action, name) => `${action}: ${name}`,
  connecting: (name) => `Connecting ${name}`,
  viewer: "You can only view this connection. To use it, ask the owner to make you an operator.",
  noMatch: "No connections match the filters",
  clear: "Clear filters",
  count: (rows) => (rows === 1 ? "1 connection" : `${rows} connections`),
  next: "Next page",
  first: "First page",
  pages: "Pages",
  lost: "Reconnecting… Statuses may be out of date.",
  emptyTitle: "Connect your first number",
  empty: "In under a minute, your number can send and receive messages through your system.",
  steps: {
    name: "Create the connection",
    nameText: "Choose a name you'll recognise, like the shop or the team.",
    scan: "Link the phone",
    scanText: "With a QR code or an 8-letter code.",
    send: "Send the first message",
    sendText: "From the chats page or your own system.",
  },
  dialog: {
    title: "New connection",
    name: "Connection name",
    hint: "For example, Downtown store. You can change it later.",
    submit: "Create and pair",
    submitCloud: "Create and connect",
    kind: "Type",
    kinds: { session: "Paired phone", cloud_api: "Meta's Cloud API" },
    kindHints: {
      session: "You link WhatsApp on a phone with a QR code or an 8-letter code.",
      cloud_api: "A WhatsApp Business Platform number, with your own Meta app. There's no phone to pair.",
    },
  },
};
export default en;
