// People, their calls and their presence.
import { chatIdOf, type Person } from "../../../src/protocol/ids.ts";
import type { ContactNews } from "../store/contacts.ts";
import type { Taking, TakerOf } from "./taking.ts";

/** Somebody did something: known from now on, with the name they give themselves, and told of when first seen. */
export function seePerson(person: Person, pushName: string | null, taking: Taking, told: boolean): void {
  const { stores, now } = taking;
  const news = stores.contacts.see(person, pushName, now);
  if (news === null) return;
  if (news.isNew && told) tellContact(person, news, "detected", taking);
  if (person.phone !== null && person.lid !== null) stores.unite(person.lid, person.phone);
}

export const people: TakerOf<"contact.updated" | "lid.mapped" | "call" | "presence" | "profile.updated"> = {
  "contact.updated": (event, taking) => {
    const { from_history: fromHistory, type: _, ...told } = event;
    // History gives a name only to those whom the owner has saved.
    const change = fromHistory === true && typeof told.name === "string" ? { is_saved: true, ...told } : told;
    const { person } = change;
    if (person.phone !== null && person.lid !== null) taking.stores.unite(person.lid, person.phone);
    const news = taking.stores.contacts.change(change, taking.now);
    if (fromHistory === true) return;
    if (news.isNowSaved) tellContact(person, news, "saved", taking);
    else if (news.isNew && (change.push_name ?? change.verified_name ?? null) !== null) tellContact(person, news, "detected", taking);
  },

  "lid.mapped": ({ lid, phone }, taking) => {
    const united = taking.stores.unite(lid, phone);
    if (united?.contact !== true) return;
    const contact = taking.stores.contacts.get(`${phone}@c.us`);
    if (contact === null) return;
    tellContact({ phone, lid }, { name: contact.name, pushName: contact.push_name }, contact.is_saved ? "saved" : "detected", taking);
  },

  call: (event, taking) => {
    const { type: _, ...call } = event;
    seePerson(call.from, null, taking, true);
    const { news } = taking.stores.calls.report(call);
    // A call that ends unanswered is no event (docs/events.md, "Connection API events").
    if (news && call.status !== "ended") taking.tell(event, call.timestamp);
  },

  presence: (event, taking) => {
    const { type: _, ...report } = event;
    // Only for chats subscribed through the API (docs/events.md, "Connection API events").
    if (taking.stores.presences.note(report, taking.now)) taking.tell(event, event.timestamp);
  },

  "profile.updated": ({ name }, taking) => {
    if (name !== undefined) taking.out.profileName = name;
  },
};

function tellContact(
  person: Person,
  { name, pushName }: Pick<ContactNews, "name" | "pushName">,
  source: "saved" | "detected",
  taking: Taking,
): void {
  const timestamp = taking.seconds;
  // Saved anew after having been removed is news again; detected is said once.
  const src = `contact|${source}|${chatIdOf(person)}${source === "saved" ? `|${taking.now}` : ""}`;
  taking.tellAs(src, { type: "contact.created", person, name, push_name: pushName, source, timestamp }, timestamp);
}
