import type { Texts } from "../catalog.ts";
import type pt from "../pt/events.ts";

const en: Texts<typeof pt> = {
  title: "Live events",
  about: "What a webhook would receive, as it happens. Nothing is saved: the list is gone when you leave the page.",
  waiting: {
    title: "Waiting for the first event",
    text: "Send a message to this number from another phone:",
    noNumber: "Send a message to this number from another phone.",
  },
  offline: { text: "The number isn't connected, so you won't see much here yet.", action: "Pair" },
  type: "Event type",
  allTypes: "All events",
  allOf: (group) => `${group}: all events`,
  groups: { messages: "Messages", number: "Number and calls", groups: "Groups", labels: "Labels" },
  search: "Search content",
  pause: "Pause",
  resume: (waiting) => (waiting === 0 ? "Resume" : `Resume (${waiting})`),
  paused: (waiting) =>
    waiting === 0 ? "Paused." : waiting === 1 ? "Paused: 1 event is waiting." : `Paused: ${waiting} events are waiting.`,
  clear: "Clear",
  none: "No events match the filter.",
  list: "Events, newest first",
  live: "Live",
  opening: "Opening…",
  count: (shown) => (shown === 1 ? "1 event" : `${shown} events`),
  dropped: (count) =>
    count === 1
      ? "1 older event was removed from the list, which keeps the last 500."
      : `${count} older events were removed from the list, which keeps the last 500.`,
  asleep: (from, to) =>
    `The page paused at ${from} because the tab was in the background. It resumed at ${to}, and events from the gap are shown below.`,
  gap: "Some events may be missing here, because the server no longer has everything that happened while this page was disconnected. Under Deliveries, you see every event sent to your webhook.",
  deliveries: "See deliveries",
  save: "Save as test",
  saved: (name) => `Saved as ${name}`,
  saveHint: "Downloads the body that the webhook would receive, to use in your server's tests.",
  payload: (type) => `Content of ${type}`,
};
export default en;
