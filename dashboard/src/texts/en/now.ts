import type { Texts } from "../catalog.ts";
import type pt from "../pt/now.ts";

const number = (count: number) => count.toLocaleString("en");

const STOP_CHATS = "Don't start new chats from these numbers, and look for what they have in common.";
const NEWER = "Look for a newer gateway release.";

const en: Texts<typeof pt> = {
  title: "Now",
  fine: "Everything is working",
  problems: (count) => (count === 1 ? "1 problem" : `${number(count)} problems`),
  checked: "Checked",
  list: "Current problems",
  todo: "What to do:",
  none: "No problems right now",
  noneText: "Problems with the deployment, numbers, webhooks and proxies appear here. The page refreshes every 30 seconds.",
  noneOfKind: "No problems of this kind",
  kind: "Kind of problem",
  kinds: {
    check: "Deployment",
    alarm: "Alarms",
    shard: "Pool shards",
    proxy: "Proxies",
    number: "Numbers",
    webhook: "Webhooks",
    calls: "Calls and sends",
  },
  moreNumbers: (shown, all) =>
    `Showing the newest ${number(shown)} of ${number(all)} numbers with problems. The others are under Instances.`,
  inHours: (hours) => (hours === 1 ? "in the last hour" : `in the last ${hours} hours`),
  guide: (file, chapter) => `Guide: ${file}, “${chapter}”`,
  every: "All",
  open: {
    check: "Open Fleet",
    alarm: "Open Fleet",
    shard: "Open Fleet",
    proxy: "Open proxies",
    number: "Open instance",
    webhook: "Open webhooks",
    calls: "Open failures",
  },
  openOf: (open, name) => `${open}: ${name}`,
  numbers: (count) => (count === 1 ? "1 number" : `${number(count)} numbers`),
  failures: (count) => (count === 1 ? "1 failure" : `${number(count)} failures`),
  checks: {
    settings: { title: "A setting still has its example value", todo: "Change the address in wrangler.toml and deploy again." },
    database: { title: "The database isn't responding", todo: "Look at Cloudflare's status page, and at D1 in its dashboard." },
    migrations: { title: "The database is missing a migration", todo: "Run npm run migrate." },
    clock: { title: "The worker's and the database's clocks differ", todo: "Report it to Cloudflare, which sets these clocks." },
    files: {
      title: "File storage isn't responding",
      todo: "Look at R2 in the Cloudflare dashboard. Messages keep arriving; their files follow later.",
    },
    pages: { title: "The dashboard wasn't deployed", todo: "Run npm run deploy, which also uploads the pages." },
    crons: {
      title: "A scheduled job isn't running",
      todo: "Look at the worker's triggers in the Cloudflare dashboard. Without them no bridge starts.",
    },
    pools: {
      title: "A bridge pool isn't responding",
      todo: "Wait a minute. If it still isn't responding, deploy the last release that worked.",
    },
    bridges: {
      title: "No bridge is accepting sessions",
      todo: "Start a bridge, or restart the one that is disconnected. Numbers come back on their own.",
    },
    capacity: {
      title: "All bridges are full",
      todo: "Raise max_instances in wrangler.toml or, if the bridges run elsewhere, start another one. Until then, other numbers have to wait.",
    },
    versions: {
      title: "Bridges and worker run different releases",
      todo: "Finish the deploy: update the bridges to the worker's release.",
    },
    containers: {
      title: "The bridges' containers aren't starting",
      todo: "Run npm run doctor: it shows which part of the configuration is missing.",
    },
    mail: {
      title: "The last email was refused",
      todo: "Check the sender and the quota of the email service. To test it, sign out and request a link with “Forgot password”: the notice disappears once an email is accepted.",
    },
    alarms: { title: "An alarm is raised", todo: "Open the Fleet page." },
    disk: { title: "The disk is filling up", todo: "Make room on the machine: delete old backups first." },
    backups: {
      title: "The nightly backup is missing",
      todo: "Look for backup.failed in the log to see the reason. The gateway tries again every hour.",
    },
    unreadable: { title: "One of the checks couldn't run", todo: "Look for the line faults.not_read in the log, and reload the page." },
  },
  onMachine: {
    settings: "Correct the settings DOMAIN and MAIL_FROM, and restart the gateway.",
    database: "Check whether the disk is full or failing. If it isn't, restart the gateway and read the logs in the data folder.",
    migrations: "Restart the gateway, which applies migrations when it starts.",
    clock: "Set the machine's clock (NTP), and restart the gateway.",
    files: "Check whether the disk is full or failing. Messages keep arriving; their files follow later.",
    pages: "Restart the gateway, which prepares the pages when it starts.",
    crons: "Restart the gateway. If it continues, look in the log for the line cron.failed or an error of the watchdog.",
    pools: "Wait a minute. If it continues, restart the gateway.",
    bridges:
      "Wait a minute: the gateway restarts bridges that stop. If it continues, read the logs in the data folder and restart the gateway.",
    capacity: "Raise BRIDGES or BRIDGE_CAPACITY in the settings, and restart the gateway. Until then, other numbers have to wait.",
    versions: "Restart the gateway, so that the worker and the bridges run the same release.",
    mail: "Check the SMTP server and the settings SMTP_URL and MAIL_FROM. To test it, sign out and request a link with “Forgot password”: the notice disappears once an email is accepted.",
    no_bridge:
      "Wait a minute: the gateway restarts bridges that stop. If it continues, read the logs in the data folder and restart the gateway.",
    silent: "Restart the gateway. If it continues, read the logs in the data folder.",
  },
  alarm: (title, code) => `${title} (${code})`,
  alarms: {
    "close 401": { title: "Numbers are being unlinked", todo: STOP_CHATS },
    "close 402": { title: "Numbers are being banned temporarily", todo: STOP_CHATS },
    "close 403": { title: "Numbers are being locked", todo: STOP_CHATS },
    "close 405": { title: "WhatsApp no longer accepts the client version", todo: "Set another version on the Fleet page." },
    "close 406": { title: "Numbers are being banned", todo: STOP_CHATS },
    close: { title: "WhatsApp is closing the connections of several numbers", todo: "Look for what these numbers have in common." },
    ack: {
      title: "WhatsApp is rejecting messages",
      todo: "Ask customers not to start new chats, and look for a newer gateway release.",
    },
    iq: { title: "WhatsApp is rejecting requests", todo: NEWER },
    unread: { title: "Messages arrive but can't be decrypted", todo: NEWER },
    stanza: { title: "WhatsApp is sending data in an unknown format", todo: NEWER },
    unhandled: { title: "WhatsApp is sending unknown events", todo: NEWER },
    file: { title: "Files can't be downloaded from WhatsApp", todo: "Check the network between the bridges and WhatsApp's file servers." },
    deaf: {
      title: "Open connections no longer receive anything",
      todo: "Wait while the bridges reopen them. If the problem continues, check the bridges' network.",
    },
    app_state: { title: "Names, labels and chats stored on the phone can't be read", todo: NEWER },
    container: {
      title: "A container's bridge isn't connecting",
      todo: "Wait: the container restarts every few minutes. If the problem persists, deploy the previous release again.",
    },
    away: {
      title: "Many numbers lost their connection to WhatsApp",
      todo: "Check whether WhatsApp is down, and check the bridges' network. Numbers reconnect on their own.",
    },
    process: { title: "The bridges of a new build keep exiting", todo: "Read their log. The build gets no more sessions." },
    mail: { title: "The email service's quota is used up", todo: "Raise the quota. Notices then resume on their own." },
  },
  otherAlarm: { title: "Fleet alarm", todo: "Open the Fleet page." },
  shards: {
    full: {
      title: "full",
      todo: "Add a shard to POOL_SHARDS and deploy again. Until then, new numbers go to other shards, as long as they have room.",
    },
    no_bridge: { title: "without a bridge", todo: "Start a bridge in this region. The numbers of this shard are offline." },
    silent: { title: "hasn't reported", todo: "Look at the logs of this shard. If it stays silent, deploy again." },
  },
  proxies: {
    down: { title: "down", todo: "Check the proxy. If it stays down, move its numbers to another one." },
    degraded: { title: "degraded", todo: "Keep an eye on it. If it gets worse, move its numbers to another proxy." },
  },
  reasons: {
    banned: "WhatsApp banned the number. Tell the customer: only they can ask for a review, in the app on the phone.",
    locked: "WhatsApp locked the account. Tell the customer to open WhatsApp on the phone and follow the instructions.",
    temporarily_banned: "The ban ends on its own. Ask the customer to stop starting new chats.",
    restricted: "The number can't start new chats for a while. Ask the customer to reply only to people who write first.",
    logged_out: "The device was removed on the phone. The customer has to pair again.",
    replaced: "The session was opened elsewhere. Look for another system that uses this number, then reconnect.",
    waiting_for_update: "WhatsApp doesn't accept our client version. Set another one on the Fleet page.",
    client_outdated: "WhatsApp doesn't accept our client version. Set another one on the Fleet page, then reconnect.",
    bad_session: "The stored session no longer works. The customer has to pair again.",
    multidevice_mismatch: "WhatsApp on the phone isn't compatible with this connection. The customer has to update it and pair again.",
    reconnect_exhausted: "The gateway gave up reconnecting. Check the proxy and the bridge's network, then reconnect.",
    proxy_error: "The number's proxy doesn't work. Assign another proxy.",
    cloud_token_invalid: "Meta refused the token. The customer has to change the token on the connection's overview.",
    internal: "The session stopped because of an internal error. Reconnect, and look for the number in the bridge's log.",
  },
  otherReason: "Open the instance and reconnect it.",
  webhookFails: "Webhook is failing",
  queueFull: "A webhook's queue is full: deliveries are dropped",
  dropped: (count) => (count === 1 ? "1 delivery dropped" : `${number(count)} deliveries dropped`),
  shard: (name) => `Pool shard ${name}`,
  webhooks: {
    webhook_timeout: "The customer's system isn't responding in time. Tell the customer. Deliveries are retried automatically.",
    webhook_connection_failed:
      "The customer's system can't be reached. Tell the customer. If many customers are affected, check the gateway's outgoing connections.",
    webhook_not_2xx: "The customer's system is responding with an error. Look at the responses and let the customer know.",
    webhook_redirect: "The URL redirects. The customer has to enter the final URL.",
    webhook_url_not_allowed: "The URL isn't public. The customer has to enter another one.",
    webhook_queue_full:
      "The customer's system can't keep up, so the oldest deliveries are being dropped. Tell the customer that dropped deliveries can be resent for 7 days.",
  },
  otherWebhook: "Look at the deliveries for the reason, and let the customer know.",
  callsFail: "Calls or sends are failing",
  calls: {
    internal_error:
      "In the worker's log, look for request lines with status 500 and the instance's ID. If the errors began with a deploy, roll back.",
    send_outcome_unknown:
      "WhatsApp didn't confirm some sends. Check the bridge's network. Don't resend anything without checking the chat first.",
    unavailable: "A component didn't respond. This usually passes on its own; if it doesn't, look at the other problems on this page.",
    network_timeout: "WhatsApp didn't respond in time. Check the bridge's network.",
    instance_reconnecting: "The number is reconnecting. Check its proxy and its bridge.",
    temporarily_blocked: "WhatsApp is limiting this number. Ask the customer to send fewer messages.",
  },
  otherCall: "See when the failures began, and search the worker's log for the instance's ID.",
  search: {
    label: "Search for an ID, number, email or name",
    hint: "ID of a request, message, delivery, instance, user, proxy or key. To search one customer only, add their email after the ID.",
    results: "Search results",
    none: "Nothing found",
    noneText: "Check that the ID is complete.",
    asked: (asked, of) =>
      asked < of
        ? `Searched the ${number(asked)} most recent of ${number(of)} instances. To search others, add the customer's email after the ID.`
        : `Searched ${asked === 1 ? "1 instance" : `all ${number(of)} instances`}.`,
    kinds: {
      user: "user",
      instance: "instance",
      proxy: "proxy",
      bridge: "bridge",
      key: "account key",
      webhook: "account webhook",
      audit: "audit log",
      request: "request",
      message: "message",
      delivery: "delivery",
    },
    open: (kind, title) => `${title} (${kind})`,
  },
};
export default en;
