import { groupedPhone } from "../src/domain/phone.ts";
import { useQueryClient } from "@tanstack/react-query";
import { Plus, Smartphone } from "lucide-react";
import { useState } from "react";
import type { PhoneSummary } from "../../test-network/phone/views.ts";
import { useLanguage } from "../src/texts/language.ts";
import { changeLanguage } from "../src/texts/catalog.ts";
import { to } from "./network/address.ts";
import { ask, people } from "./network/control.ts";

import { fieldOf, useAction } from "./network/action.ts";
import { Button, IconButton } from "../src/ui/button.tsx";
import { TextField } from "../src/ui/forms/field.tsx";
import { Avatar } from "./widgets/pieces.tsx";
import { Sheet } from "./widgets/sheet.tsx";
import { usePhoneTexts } from "./texts/texts.ts";

const SEARCHED_FROM = 8;

export function Switcher({ everybody, shown }: { everybody: readonly PhoneSummary[]; shown: string | null }) {
  const w = usePhoneTexts();
  const [isAdding, setAdding] = useState(false);
  const [search, setSearch] = useState("");
  const found = everybody.filter(({ phone, name }) => `${name} ${phone}`.toLowerCase().includes(search.toLowerCase()));
  return (
    <aside className="border-b border-line bg-surface md:flex md:h-dvh md:flex-col md:border-r md:border-b-0">
      <div className="flex items-center gap-2 px-3 py-1 md:block md:p-4">
        <h1 className="sr-only md:not-sr-only md:text-xl md:font-semibold">{w.title}</h1>
        <p className="mt-1 hidden text-sm text-soft md:block">{w.about}</p>
        <label className="flex min-w-0 flex-1 items-center md:hidden">
          <span className="sr-only">{w.phones}</span>
          <select
            value={shown ?? ""}
            onChange={({ target }) => location.assign(to(target.value))}
            className="min-h-11 w-full min-w-0 rounded-md bg-surface font-semibold"
          >
            {shown === null && <option value="">–</option>}
            {everybody.map(({ phone, name }) => (
              <option key={phone} value={phone}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <div className="md:hidden">
          <Language />
        </div>
        <span className="md:hidden">
          <IconButton icon={Plus} label={w.newPhone} onClick={() => setAdding(true)} />
        </span>
        <Button className="mt-4 w-full max-md:hidden" onClick={() => setAdding(true)}>
          {w.newPhone}
        </Button>
      </div>
      <nav aria-label={w.phones} className="hidden min-h-0 flex-1 overflow-y-auto px-2 pb-2 md:block">
        {everybody.length >= SEARCHED_FROM && (
          <input
            type="search"
            aria-label={w.search}
            placeholder={w.search}
            value={search}
            onChange={({ target }) => setSearch(target.value)}
            className="mb-2 min-h-11 w-full rounded-md border border-edge bg-surface px-3"
          />
        )}
        <ul>
          {found.map(({ phone, name, picture, devices }) => (
            <li key={phone}>
              <a
                href={to(phone)}
                aria-current={phone === shown ? "page" : undefined}
                className="flex min-h-11 items-center gap-3 rounded-md px-2 py-2 hover:bg-tint aria-[current]:bg-tint"
              >
                <Avatar phone={phone} peer={phone} title={name} picture={picture} />
                <span className="min-w-0">
                  <span className="block truncate font-semibold">{name}</span>
                  <span className="block text-sm text-soft">{groupedPhone(phone)}</span>
                  <span className="flex items-center gap-1 text-sm text-soft">
                    <Smartphone aria-hidden="true" className="size-3.5" />
                    {w.linkedCount(devices.length)}
                  </span>
                </span>
              </a>
            </li>
          ))}
        </ul>
        {found.length === 0 && search !== "" && <p className="px-2 text-sm text-soft">{w.nothingFound}</p>}
      </nav>
      <div className="hidden border-t border-line p-2 md:block">
        <Language />
      </div>
      {isAdding && <NewPhone onClose={() => setAdding(false)} />}
    </aside>
  );
}

function NewPhone({ onClose }: { onClose: () => void }) {
  const w = usePhoneTexts();
  const act = useAction();
  const client = useQueryClient();
  const add = async (form: FormData): Promise<void> => {
    const [phone, name] = [fieldOf(form, "phone"), fieldOf(form, "name")];
    const made = await act(() => ask("POST", "/phones", { phone, name }), w.added(name));
    if (made === undefined) return;
    await client.invalidateQueries({ queryKey: people().queryKey });
    onClose();
    location.assign(to(phone));
  };
  return (
    <Sheet title={w.newPhone} onClose={onClose}>
      <form action={add} className="space-y-4">
        <TextField label={w.number} hint={w.numberHint} name="phone" required inputMode="numeric" pattern="[0-9]{8,15}" />
        <TextField label={w.name} name="name" required maxLength={60} />
        <Button type="submit" kind="primary" className="w-full">
          {w.add}
        </Button>
      </form>
    </Sheet>
  );
}

function Language() {
  const w = usePhoneTexts();
  const other = useLanguage() === "pt" ? "en" : "pt";
  return (
    <button
      type="button"
      lang={other === "pt" ? "pt-BR" : "en"}
      onClick={() => void changeLanguage(other)}
      className="min-h-11 rounded-md px-3 text-sm text-soft underline hover:text-ink"
    >
      {w.language}
    </button>
  );
}
