import { kindRefusal } from "@gateway/domain/instance/kinds.ts";
import { fastParse } from "@gateway/protocol/fast-parse.ts";
import { fail, type Replayable, succeed } from "@gateway/protocol/failures.ts";
import { type ConnectionKind, type OperationName, type OperationRow, OPERATIONS } from "@gateway/protocol/operations.ts";
import { type ActionLog, actionLogHandlers } from "./actions/action-log.ts";
import { keyHandlers } from "./keys/api-keys.ts";
import { assistantHandlers } from "./keys/assistant.ts";
import type { Admission } from "./admission/admission.ts";
import { type RequestLog, requestHandlers } from "./requests/request-log.ts";
import type { Deliveries } from "./delivery/deliveries.ts";
import type { Uploads } from "./files/uploads.ts";
import { callHandlers } from "./calls/handlers.ts";
import { chatHandlers, historyHandlers } from "./chats/handlers.ts";
import { endpointHandlers } from "./delivery/account-endpoints.ts";
import { exportHandlers } from "./instance/export.ts";
import { groupMemberHandlers, groupSettingHandlers } from "./groups/handlers.ts";
import { groupReadHandlers } from "./groups/read-group.ts";
import type { OperationContext, Handler, Handlers } from "./handlers.ts";
import { type HealthDependencies, healthHandlers } from "./instance/health.ts";
import { type InstanceDependencies, instanceHandlers, profileHandlers } from "./instance/handlers.ts";
import type { MessageDependencies } from "./messages/dependencies.ts";
import { messageChangeHandlers, ownDeviceHandlers, messageReadHandlers } from "./messages/changes.ts";
import { messageSendHandlers } from "./messages/send.ts";
import { channelHandlers } from "./channels/handlers.ts";
import { pairingHandlers } from "./pairing/pairing-links.ts";
import { contactHandlers, pictureHandlers } from "./contacts/handlers.ts";
import { labelHandlers } from "./labels/handlers.ts";
import { type Notifications, notificationHandlers } from "./notifications/notifications.ts";
import { presenceHandlers } from "./presence/handlers.ts";
import { statusHandlers } from "./statuses/handlers.ts";
import { type Listeners, listenerHandlers } from "./streams/listeners.ts";
import { waitingHandlers } from "./waiting/handlers.ts";
import { webhookHandlers } from "./delivery/connection-webhook.ts";

export type OperationDependencies = MessageDependencies &
  HealthDependencies &
  InstanceDependencies & {
    admission: Admission;
    deliveries: Deliveries;
    requests: RequestLog;
    actionLog: ActionLog;
    uploads: Uploads;
    listeners: Listeners;
    notifications: Notifications;
  };

export function handlersOf(deps: OperationDependencies): Handlers {
  const { admission, deliveries, identity, instance, network, stores } = deps;
  const instances = instanceHandlers(deps);
  return {
    ...instances,
    ...exportHandlers({ stores, keys: admission.keys, deliveries, instance: deps.instance }, instances["instance.get"]),
    ...messageSendHandlers(deps),
    ...waitingHandlers(deps),
    ...messageReadHandlers(deps),
    ...messageChangeHandlers(deps),
    ...ownDeviceHandlers(deps),
    ...statusHandlers(deps),
    ...healthHandlers(deps),
    ...historyHandlers(network, stores),
    ...chatHandlers(network, stores),
    ...presenceHandlers(network, stores, instance, identity),
    ...callHandlers(network, stores),
    ...groupReadHandlers(network, stores),
    ...groupMemberHandlers(network, stores),
    ...groupSettingHandlers(network, stores),
    ...channelHandlers(network, stores),
    ...contactHandlers(deps),
    ...labelHandlers(network, stores, instance),
    ...pictureHandlers(network, stores),
    ...profileHandlers(network, instance),
    ...keyHandlers(admission.keys, () => deps.listeners.endAll()),
    ...assistantHandlers(admission, stores, identity),
    ...requestHandlers(deps.requests),
    ...pairingHandlers(admission.pairingLinks, identity, instance),
    ...actionLogHandlers(deps.actionLog),
    ...deps.uploads.handlers,
    ...webhookHandlers(deliveries.webhook),
    ...endpointHandlers(deliveries.account),
    ...listenerHandlers(deps.listeners),
    ...notificationHandlers(deps.notifications),
  };
}

type Family = OperationName extends `${infer F}.${string}` ? F : never;

/** Families of operations that may read or change stored messages and chats, and operations that differ from their family. */
const SEES_MESSAGES: Readonly<Record<Family, boolean> & Partial<Record<OperationName, boolean>>> = {
  actions: false,
  assistant: false,
  calls: true,
  channels: true,
  chats: true,
  contacts: true,
  endpoints: false,
  groups: true,
  instance: false,
  "instance.export": true,
  keys: false,
  labels: true,
  listeners: false,
  messages: true,
  "messages.send": false,
  notifications: false,
  pairing: false,
  pictures: true,
  presence: false,
  profile: false,
  requests: false,
  statuses: true,
  uploads: false,
  waiting: true,
  webhook: false,
};

/** True if pending messages must be stored before this operation. */
export function seesMessages(operation: string | null): boolean {
  if (operation === null) return false;
  const family = operation.slice(0, operation.indexOf(".")) as Family;
  return SEES_MESSAGES[operation as OperationName] ?? SEES_MESSAGES[family];
}

export async function runOperation(handlers: Handlers, context: OperationContext, kind: ConnectionKind): Promise<Replayable<string>> {
  const { call, files } = context;
  const name = call.operation as OperationName;
  const row: OperationRow = OPERATIONS[name];
  if (!row.kinds.includes(kind)) return fail("not_supported", { details: { kind } });
  const input = fastParse(OPERATIONS[name].input, JSON.parse(call.input));
  if (!input.success) {
    const issues = input.error.issues.map(({ path, message }) => ({ field: path.join("."), issue: message }));
    return fail("validation_error", { issues });
  }
  const refused = kindRefusal(row, input.data, kind);
  if (refused !== null) return fail(refused);
  const complete = row.filesLast === true ? succeed(input.data) : await files.storeInto(input.data);
  if (!complete.ok) return complete;
  const handle: Handler<OperationName> = handlers[name];
  const outcome = await handle(complete.value, context);
  return outcome.ok ? { ...outcome, value: JSON.stringify(outcome.value) } : outcome;
}
