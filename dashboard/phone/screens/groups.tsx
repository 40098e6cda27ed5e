import { groupedPhone } from "../../src/domain/phone.ts";
import { useQuery } from "@tanstack/react-query";
import { ShieldCheck, ShieldOff, UserMinus } from "lucide-react";
import { useState } from "react";
import { to } from "../network/address.ts";
import { change, people, reading } from "../network/control.ts";
import { useNames } from "../network/names.ts";
import { toast } from "../../src/ui/toast.tsx";
import { fieldOf, useAction } from "../network/action.ts";
import { Button, IconButton } from "../../src/ui/button.tsx";
import { TextField } from "../../src/ui/forms/field.tsx";
import { Avatar, Nothing, ScreenBar } from "../widgets/pieces.tsx";
import { Confirm, Sheet } from "../widgets/sheet.tsx";
import { usePhoneTexts } from "../texts/texts.ts";

type Results = { data?: unknown } | Array<{ phone: string; status: string }>;

export function GroupInfo({ phone, groupId }: { phone: string; groupId: string }) {
  const w = usePhoneTexts();
  const act = useAction();
  const nameOf = useNames(phone);
  const { data: groups } = useQuery(reading(phone, "/groups"));
  const { data: everybody = [] } = useQuery(people());
  const [open, setOpen] = useState<"add" | "leave" | null>(null);
  const group = groups?.find(({ group_id }) => group_id === groupId);
  const back = to(phone, "chat", groupId);
  if (group === undefined) {
    return (
      <>
        <ScreenBar title={w.groups.info} back={back} />
        {groups !== undefined && <Nothing text={w.thread.left} />}
      </>
    );
  }
  const path = `/groups/${encodeURIComponent(groupId)}`;
  const isAdmin = group.participants.some((one) => one.phone === phone && one.role !== "member");
  const members = new Set(group.participants.map((one) => one.phone));
  const strangers = everybody.map((one) => one.phone).filter((digits) => !members.has(digits));
  const changeMember = (what: string, digits: string): void =>
    void act(() => change(phone, "POST", `${path}/${what}`, { participants: [digits] }));
  const add = async (form: FormData): Promise<void> => {
    const participants = form.getAll("people").filter((one) => typeof one === "string");
    if (participants.length === 0) return;
    const results = await act(() => change<Results>(phone, "POST", `${path}/add`, { participants }));
    if (results === undefined) return;
    setOpen(null);
    const refused = Array.isArray(results) ? results.filter(({ status }) => status !== "200") : [];
    if (refused.length > 0) toast(w.groups.notAdded(refused.map((one) => nameOf(one.phone)).join(", ")), { kind: "bad" });
  };
  const leave = async (): Promise<void> => {
    const left = await act(() => change(phone, "POST", `${path}/leave`), w.groups.left);
    if (left !== undefined) location.assign(to(phone));
  };
  return (
    <>
      <ScreenBar title={w.groups.info} back={back} />
      <div className="min-h-0 flex-1 overflow-y-auto bg-surface p-3">
        <form
          key={group.subject}
          className="flex items-end gap-2"
          action={async (form) => {
            await act(() => change(phone, "POST", `${path}/subject`, { subject: fieldOf(form, "subject") }), w.saved);
          }}
        >
          <div className="min-w-0 flex-1">
            <TextField label={w.groups.subject} name="subject" defaultValue={group.subject} required maxLength={100} />
          </div>
          <Button type="submit">{w.groups.rename}</Button>
        </form>
        {group.description !== null && <p className="mt-3 whitespace-pre-wrap">{group.description}</p>}
        <div className="mt-6 flex items-center justify-between gap-2">
          <h3>
            {w.groups.members} <span className="text-soft">({group.participants.length})</span>
          </h3>
          <Button onClick={() => setOpen("add")}>{w.groups.addChosen}</Button>
        </div>
        <ul className="mt-2">
          {group.participants.map(({ phone: digits, role }) => (
            <li key={digits} className="flex min-h-14 items-center gap-3 border-b border-line">
              <Avatar
                phone={phone}
                peer={digits}
                title={nameOf(digits)}
                picture={everybody.find((one) => one.phone === digits)?.picture ?? null}
              />
              <span className="min-w-0 flex-1">
                <span className="block truncate font-semibold">{nameOf(digits)}</span>
                <span className="block text-sm text-soft">
                  {groupedPhone(digits)}
                  {role !== "member" && ` · ${role === "superadmin" ? w.groups.owner : w.groups.admin}`}
                </span>
              </span>
              {isAdmin && digits !== phone && role !== "superadmin" && (
                <>
                  {role === "admin" ? (
                    <IconButton icon={ShieldOff} label={w.groups.demote(nameOf(digits))} onClick={() => changeMember("demote", digits)} />
                  ) : (
                    <IconButton
                      icon={ShieldCheck}
                      label={w.groups.promote(nameOf(digits))}
                      onClick={() => changeMember("promote", digits)}
                    />
                  )}
                  <IconButton icon={UserMinus} label={w.groups.removeOne(nameOf(digits))} onClick={() => changeMember("remove", digits)} />
                </>
              )}
            </li>
          ))}
        </ul>
        {group.invite_code !== null && (
          <p className="mt-4 text-sm text-soft">
            {w.groups.invite}: <code className="font-mono break-all text-ink select-all">{group.invite_code}</code>
          </p>
        )}
        <Button kind="danger" className="mt-6 w-full" onClick={() => setOpen("leave")}>
          {w.groups.leave}
        </Button>
      </div>
      {open === "add" && (
        <Sheet title={w.groups.addPeople} onClose={() => setOpen(null)}>
          {strangers.length === 0 ? (
            <p>{w.groups.noMore}</p>
          ) : (
            <form action={add} className="space-y-4">
              <PeoplePicker legend={w.groups.people} people={strangers} nameOf={nameOf} />
              <Button type="submit" kind="primary" className="w-full">
                {w.groups.addChosen}
              </Button>
            </form>
          )}
        </Sheet>
      )}
      {open === "leave" && (
        <Confirm
          title={w.groups.leaveAsk(group.subject)}
          loses={w.groups.leaveLoses}
          yes={w.groups.leave}
          onClose={() => setOpen(null)}
          onYes={() => void leave()}
        />
      )}
    </>
  );
}

export function NewGroup({ phone }: { phone: string }) {
  const w = usePhoneTexts();
  const act = useAction();
  const nameOf = useNames(phone);
  const { data: everybody = [] } = useQuery(people());
  const create = async (form: FormData): Promise<void> => {
    const body = { subject: fieldOf(form, "subject"), participants: form.getAll("people").filter((one) => typeof one === "string") };
    const made = await act(() => change<{ group_id: string }>(phone, "POST", "/groups", body));
    if (made !== undefined) location.replace(to(phone, "chat", made.group_id));
  };
  const join = async (form: FormData): Promise<void> => {
    const body = { invite_code: fieldOf(form, "code") };
    const made = await act(() => change<{ group_id: string; pending: boolean }>(phone, "POST", "/groups/join", body), w.content.joined);
    if (made !== undefined && !made.pending) location.replace(to(phone, "chat", made.group_id));
  };
  return (
    <>
      <ScreenBar title={w.groups.newTitle} back={to(phone, "write")} />
      <div className="min-h-0 flex-1 space-y-8 overflow-y-auto bg-surface p-3">
        <form action={create} className="space-y-4">
          <TextField label={w.groups.subject} name="subject" required maxLength={100} />
          <PeoplePicker
            legend={w.groups.people}
            people={everybody.filter((one) => one.phone !== phone).map((one) => one.phone)}
            nameOf={nameOf}
          />
          <Button type="submit" kind="primary" className="w-full">
            {w.groups.create}
          </Button>
        </form>
        <form action={join} className="space-y-2 border-t border-line pt-4">
          <TextField label={w.groups.join} name="code" required maxLength={256} />
          <Button type="submit">{w.groups.joinButton}</Button>
        </form>
      </div>
    </>
  );
}

const SEARCHED_FROM = 8;

function PeoplePicker({ legend, people, nameOf }: { legend: string; people: readonly string[]; nameOf: (digits: string) => string }) {
  const w = usePhoneTexts();
  const [search, setSearch] = useState("");
  const isFound = (digits: string): boolean => `${nameOf(digits)} ${digits}`.toLowerCase().includes(search.toLowerCase());
  return (
    <fieldset>
      <legend className="text-sm font-semibold">{legend}</legend>
      {people.length >= SEARCHED_FROM && (
        <input
          type="search"
          aria-label={w.search}
          placeholder={w.search}
          value={search}
          onChange={({ target }) => setSearch(target.value)}
          className="mt-1 min-h-11 w-full rounded-md border border-edge bg-surface px-3"
        />
      )}
      <ul className="mt-1">
        {people.map((digits) => (
          // Hidden rather than removed, so that the checkbox stays ticked.
          <li key={digits} hidden={!isFound(digits)}>
            <label className="flex min-h-11 items-center gap-3 rounded-md px-1 hover:bg-tint">
              <input type="checkbox" name="people" value={digits} className="size-5 accent-accent" />
              <span className="min-w-0 flex-1 truncate">{nameOf(digits)}</span>
              <span className="shrink-0 text-sm text-soft">{groupedPhone(digits)}</span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
