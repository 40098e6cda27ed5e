import { groupedPhone } from "../../src/domain/phone.ts";
import { useQuery } from "@tanstack/react-query";
import { Users } from "lucide-react";
import { useState } from "react";
import { to } from "../network/address.ts";
import { people } from "../network/control.ts";
import { useNames } from "../network/names.ts";
import { Button } from "../../src/ui/button.tsx";
import { TextField } from "../../src/ui/forms/field.tsx";
import { Avatar, ScreenBar } from "../widgets/pieces.tsx";
import { usePhoneTexts } from "../texts/texts.ts";

export function Write({ phone }: { phone: string }) {
  const w = usePhoneTexts();
  const nameOf = useNames(phone);
  const { data: everybody = [] } = useQuery(people());
  const [search, setSearch] = useState("");
  const others = everybody.filter((one) => one.phone !== phone);
  const found = others.filter((one) => `${nameOf(one.phone)} ${one.phone}`.toLowerCase().includes(search.toLowerCase()));
  const typed = search.replaceAll(/\D/g, "");
  const isNumber = typed.length >= 8 && typed.length <= 15;
  return (
    <>
      <ScreenBar title={w.chats.write} back={to(phone)} />
      <div className="min-h-0 flex-1 overflow-y-auto bg-surface">
        <form
          className="space-y-2 p-3"
          action={() => {
            const only = found[0]?.phone ?? (isNumber ? typed : undefined);
            if (only !== undefined) location.assign(to(phone, "chat", `${only}@c.us`));
          }}
        >
          <TextField
            label={`${w.search} · ${w.chats.other}`}
            name="search"
            autoComplete="off"
            value={search}
            onChange={({ target }) => setSearch(target.value)}
            maxLength={60}
          />
          {isNumber && found.length === 0 && (
            <Button type="submit" kind="primary" className="w-full">
              {w.chats.open}: {groupedPhone(typed)}
            </Button>
          )}
        </form>
        <a href={to(phone, "new-group")} className="flex min-h-14 items-center gap-3 border-y border-line px-3 hover:bg-tint">
          <span className="inline-flex size-11 items-center justify-center rounded-full bg-tint">
            <Users aria-hidden="true" className="size-5" />
          </span>
          <span className="font-semibold">{w.chats.group}</span>
        </a>
        <h3 className="px-3 pt-3 text-sm font-semibold text-soft">{w.chats.people}</h3>
        <ul>
          {found.map((one) => (
            <li key={one.phone}>
              <a href={to(phone, "chat", `${one.phone}@c.us`)} className="flex items-center gap-3 px-3 py-2 hover:bg-tint">
                <Avatar phone={phone} peer={one.phone} title={nameOf(one.phone)} picture={one.picture} />
                <span className="min-w-0">
                  <span className="block truncate font-semibold">{nameOf(one.phone)}</span>
                  <span className="block text-sm text-soft">{groupedPhone(one.phone)}</span>
                </span>
              </a>
            </li>
          ))}
        </ul>
        {found.length === 0 && <p className="px-3 py-2 text-sm text-soft">{w.nothingFound}</p>}
      </div>
    </>
  );
}
