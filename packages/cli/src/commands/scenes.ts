// The action that causes each event of `gateway trigger`. A simulated phone or the number itself performs the action.
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "../command.ts";
import type { Target } from "../target.ts";

export type Scene = { target: Target; network: Network; shop: string; contact: string; text: string; signal: AbortSignal };
export type Network = (path: string, body: object) => Promise<Record<string, string>>;

export class NetworkRefusal extends UsageError {
  readonly status: number | null;
  constructor(message: string, status: number | null = null) {
    super(message);
    this.status = status;
  }
}

const ARRIVAL_PAUSE_MS = 100;
const ARRIVAL_ATTEMPTS = 100;
const CHOICES = ["Sim", "Não"] as const;

const written = ({ network, shop, contact, text }: Scene): Promise<Record<string, string>> =>
  network(`/phones/${contact}/send`, { to: shop, text });
const own = ({ target, contact, text, signal }: Scene) => target.gateway.messages.sendText({ to: contact, text }, { signal });

export const SCENES: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  "message.received": written,
  "message.sent": own,
  "message.status": own,
  "message.reaction": (scene) => onMessage(scene, "react", { reaction: "👍" }),
  "message.edited": (scene) => onMessage(scene, "edit", { text: `${scene.text} (edited)` }),
  "message.deleted": (scene) => onMessage(scene, "delete", {}),
  "instance.status": async ({ target, signal }) => {
    await target.gateway.instance.disconnect({ signal });
    await target.gateway.instance.connect({ signal });
  },
  "group.participants": inGroup,
  "group.updated": async (scene) => {
    const { group_id } = await inGroup(scene);
    await scene.network(`/phones/${scene.contact}/groups/${group_id}/subject`, { subject: `${scene.text.slice(0, 20)} 2` });
  },
  call: ({ network, shop, contact }) => network(`/phones/${contact}/call`, { to: shop }),
  "poll.vote": async ({ target, network, shop, contact, text, signal }) => {
    const poll = { to: contact, question: text, options: [...CHOICES] };
    const { message_id } = await target.gateway.messages.sendPoll(poll, { signal });
    const vote = { chat_id: `${shop}@c.us`, message_id, options: [CHOICES[0]] };
    await afterArrival(() => network(`/phones/${contact}/vote`, vote), signal);
  },
  presence: async ({ target, network, shop, contact, signal }) => {
    await target.gateway.presence.subscribe(`${contact}@c.us`, { signal });
    await network(`/phones/${contact}/presence`, { presence: "typing", chat_id: `${shop}@c.us` });
  },
  "label.updated": label,
  "label.deleted": async (scene) => label(scene, await label(scene)),
  "label.chat.added": async (scene) => labelChat(scene, await label(scene), true),
  "label.chat.removed": async (scene) => {
    const labelId = await label(scene);
    await labelChat(scene, labelId, true);
    // Waits until the first change has arrived, because the phone's next synchronisation would merge both changes.
    await repeatedly(async () => {
      const labels = await scene.target.gateway.labels.listChatLabels(`${scene.contact}@c.us`, { signal: scene.signal });
      return labels.some(({ label_id }) => label_id === labelId);
    }, scene.signal);
    await labelChat(scene, labelId, false);
  },
};

async function onMessage(scene: Scene, action: string, more: object): Promise<unknown> {
  const { chat_id, message_id } = await written(scene);
  return scene.network(`/phones/${scene.contact}/${action}`, { chat_id, message_id, ...more });
}

function inGroup({ network, shop, contact, text }: Scene): Promise<Record<string, string>> {
  return network(`/phones/${contact}/groups`, { subject: text.slice(0, 25), participants: [shop] });
}

/** Creates a label on the number's own phone, or deletes the one with this id. */
async function label({ network, shop, text }: Scene, deleted?: string): Promise<string> {
  const label_id = deleted ?? String(1_000 + Math.floor(Math.random() * 1_000_000));
  const name = text.slice(0, 25);
  await network(`/phones/${shop}/labels`, { label_id, name, color: 1, ...(deleted === undefined ? {} : { deleted: true }) });
  return label_id;
}

function labelChat({ network, shop, contact }: Scene, labelId: string, labelled: boolean): Promise<unknown> {
  return network(`/phones/${shop}/labels/${labelId}/chats`, { chat_id: `${contact}@c.us`, labelled });
}

/** A phone can answer a message only after it has received it. */
function afterArrival(act: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  return repeatedly(async () => {
    await act();
    return true;
  }, signal);
}

async function repeatedly(succeeds: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; attempt <= ARRIVAL_ATTEMPTS; attempt += 1) {
    try {
      if (await succeeds()) return;
    } catch (error) {
      if (!(error instanceof NetworkRefusal) || attempt === ARRIVAL_ATTEMPTS) throw error;
    }
    await sleep(ARRIVAL_PAUSE_MS, undefined, { signal });
  }
  throw new NetworkRefusal("the change did not reach the gateway");
}
