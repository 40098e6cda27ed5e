// Words of the page of live events.
import type { Words } from "../../words/words.ts";
import type pt from "./events.pt.ts";

const en: Words<typeof pt> = {
  title: "Live events",
  about: "What a webhook would get, as it happens. Nothing is kept: when you leave the page, the list is gone.",
  waiting: {
    title: "Waiting for the first event",
    text: "Say hi to this number from another phone:",
    noNumber: "Say hi to this number from another phone.",
  },
  offline: { text: "The number is not connected: hardly anything happens until then.", action: "Pair" },
  type: "Type of event",
  allTypes: "All events",
  allOf: (group) => `All: ${group.toLowerCase()}`,
  groups: { messages: "Messages", number: "Number and calls", groups: "Groups", labels: "Labels" },
  search: "Search the content",
  pause: "Pause",
  resume: (waiting) => (waiting === 0 ? "Go on" : `Go on (${waiting})`),
  paused: (waiting) =>
    waiting === 0 ? "Paused." : waiting === 1 ? "Paused: 1 event is waiting." : `Paused: ${waiting} events are waiting.`,
  clear: "Clear",
  none: "No event matches the filter.",
  list: "Events, newest first",
  live: "Live",
  opening: "Opening…",
  lost: "Reconnecting…",
  count: (shown) => (shown === 1 ? "1 event" : `${shown} events`),
  dropped: (count) =>
    count === 1 ? "1 older event has left the list (500 are kept)." : `${count} older events have left the list (500 are kept).`,
  asleep: (from, to) => `The tab was hidden and the page stopped at ${from}. It came back at ${to}; what happened in between follows.`,
  gap: "Events may be missing here: the server no longer has all that happened while this page was without it. A webhook's deliveries have every event that it gets.",
  deliveries: "See deliveries",
  save: "Save as a test",
  saved: (name) => `Saved as ${name}`,
  saveHint: "Downloads the body that the webhook would get, for the tests of your server.",
  payload: (type) => `Content of ${type}`,
};
export default en;
