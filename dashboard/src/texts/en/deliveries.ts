import type { Texts } from "../catalog.ts";
import type pt from "../pt/deliveries.ts";

const en: Texts<typeof pt> = {
  title: "Deliveries",
  about: "Every event sent to your webhook in the last 7 days, with each attempt and your server's response.",
  list: "Last 7 days",
  address: "Current URL",
  loading: "Loading deliveries…",
  columns: { event: "Event", status: "Status", answer: "Response", attempts: "Attempts", next: "Next", at: "Created" },
  status: { pending: "pending", delivered: "delivered", failed: "failed", skipped: "not sent" },
  filters: { status: "Status", event: "Event", everyEvent: "All events", clear: "Clear filters" },
  errors: {
    timeout: "Your server didn't respond within 10 seconds.",
    connection_failed: "Couldn't connect: DNS, TLS or network problem.",
    redirect: "Your server responded with a redirect, and redirects aren't followed. Use the final URL.",
    not_2xx: "Your server responded with an error.",
    url_not_allowed: "This URL isn't allowed: it has to be public and use https.",
    queue_full: "Dropped: too many deliveries were waiting for the same server.",
    webhook_disabled: "Not sent: the webhook is disabled.",
  },
  short: {
    timeout: "no response",
    connection_failed: "no connection",
    redirect: "redirected",
    not_2xx: "refused",
    url_not_allowed: "URL not allowed",
    queue_full: "queue full",
    webhook_disabled: "webhook disabled",
  },
  none: "none",
  empty: {
    title: "No deliveries yet",
    text: "Send a test to see whether your server responds. After that, this connection's messages and other events show up here.",
    action: "Send a test",
  },
  noWebhook: {
    title: "This connection has no webhook yet",
    text: "Enter the URL that should receive the events. Every delivery then shows up here with its attempts.",
    action: "Create webhook",
  },
  nothing: { title: "No deliveries with these filters", text: "Deliveries are kept for 7 days." },
  failing: {
    since: "Deliveries are failing. First failure:",
    disables: (left) => `Unless a delivery is accepted, the webhook will be disabled in ${left}.`,
    disabled: "The webhook was disabled",
    repair: "Fix the problem on the server. Pending deliveries are retried automatically, and you can resend the failed ones afterwards.",
    reactivate: "Fix the problem on the server, send a test and reactivate the webhook. Then resend the failed deliveries.",
    action: "Open the webhook",
  },
  resendFailed: {
    action: "Resend failures since…",
    title: "Resend failed deliveries",
    text: "Every delivery that failed or wasn't sent since the chosen time is sent again with the same ID, so your server can recognise repeats.",
    since: "Since",
    choices: { hour: "1 hour ago", day: "24 hours ago", week: "7 days ago", exact: "Another time" },
    exactTime: "Date and time",
    exactTimeHint: "In your time zone.",
    submit: "Resend",
    done: (count) =>
      count === 0
        ? "There are no failures to resend from that period. Pending deliveries are retried automatically."
        : count === 1
          ? "1 delivery will be sent again."
          : `${count} deliveries will be sent again.`,
  },
  detail: {
    loading: "Loading delivery…",
    id: "Delivery ID",
    copyId: "Copy ID",
    status: "Status",
    created: "Created",
    delivered: "Delivered",
    next: "Next attempt",
    error: "Reason",
    resend: "Resend",
    resent: "Resent with the same ID.",
    sameId: "same ID",
    sameIdText: "It was resent with the same ID, so your server can recognise the repeat.",
    attempts: "Attempts",
    noAttempts: "No attempts yet.",
    attempt: (number) => `Attempt ${number}`,
    number: "No.",
    answer: "Response",
    ms: "Duration",
    result: "Result",
    at: "When",
    accepted: "accepted",
    msValue: (ms) => `${ms} ms`,
    body: "Body",
    expired:
      "The body is no longer stored, so this delivery can't be resent. We keep the bodies of accepted deliveries for 24 hours and all others for 7 days.",
  },
  local: {
    title: "Send to my computer",
    text: "The gateway can't reach your computer. This command sends the same body, freshly signed, to the URL you enter.",
    target: "URL on your computer",
    submit: "Create signed command",
    again: "Create another command",
    valid: (seconds) => `Valid for ${seconds} s.`,
    expired: "This command's signature has expired. Create another one.",
  },
};
export default en;
