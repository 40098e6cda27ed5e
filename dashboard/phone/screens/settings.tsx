import { groupedPhone } from "../../src/domain/phone.ts";
import type { PhoneView } from "test-network/phone/views.ts";
import { change } from "../network/control.ts";
import { base64Of } from "../network/files.ts";

import { fieldOf, useAction } from "../network/action.ts";
import { Button } from "../../src/ui/button.tsx";
import { TextField } from "../../src/ui/forms/field.tsx";
import { Avatar, ScreenBar } from "../widgets/pieces.tsx";
import { usePhoneTexts } from "../texts/texts.ts";

const RECEIPTS = ["none", "delivered", "read", "played"] as const;

export function Settings({ view }: { view: PhoneView }) {
  const { phone, name, about, options, troubles } = view;
  const w = usePhoneTexts();
  const act = useAction();
  const save = (body: object): Promise<unknown> => act(() => change(phone, "PATCH", "", body), w.saved);
  const picture = async (file: File | undefined): Promise<void> => {
    if (file !== undefined) await act(async () => change(phone, "POST", "/picture", { base64: await base64Of(file) }), w.saved);
  };
  return (
    <>
      <ScreenBar title={w.tabs.settings} />
      <div className="min-h-0 flex-1 space-y-8 overflow-y-auto bg-surface p-3">
        <section aria-labelledby="profile">
          <h3 id="profile">{w.settings.profile}</h3>
          <div className="mt-3 flex items-center gap-4">
            <Avatar phone={phone} peer={phone} title={name} picture={view.picture_sha256} size="size-16 text-lg" />
            <div className="min-w-0">
              <p className="truncate font-semibold">{name}</p>
              <p className="text-sm text-soft">{groupedPhone(phone)}</p>
              <div className="mt-1 flex flex-wrap gap-2">
                <label className="inline-flex min-h-11 cursor-pointer items-center rounded-md text-accent underline focus-within:outline-2 focus-within:outline-accent">
                  {w.settings.changePhoto}
                  <input
                    type="file"
                    accept="image/png,image/jpeg,image/webp"
                    className="sr-only"
                    onChange={({ target }) => void picture(target.files?.[0])}
                  />
                </label>
                {view.picture_sha256 !== null && (
                  <button
                    type="button"
                    className="min-h-11 text-accent underline"
                    onClick={() => void act(() => change(phone, "POST", "/picture", { base64: null }), w.saved)}
                  >
                    {w.settings.removePhoto}
                  </button>
                )}
              </div>
            </div>
          </div>
          <form
            key={`${name}|${about}`}
            className="mt-3 space-y-3"
            action={async (form) => void (await save({ name: fieldOf(form, "name"), about: fieldOf(form, "about") }))}
          >
            <TextField label={w.name} name="name" defaultValue={name} required maxLength={100} />
            <TextField label={w.settings.about} name="about" defaultValue={about ?? ""} maxLength={700} />
            <Button type="submit">{w.save}</Button>
          </form>
        </section>
        <section aria-labelledby="behaviour" className="space-y-3 border-t border-line pt-4">
          <h3 id="behaviour">{w.settings.behaviour}</h3>
          <Switch label={w.connection.on} isOn={options.online} onChange={(online) => void save({ online })} />
          <Switch label={w.settings.echo} isOn={options.reply === "echo"} onChange={(isOn) => void save({ reply: isOn ? "echo" : null })} />
          <label className="block">
            <span className="text-sm font-semibold">{w.settings.receipts}</span>
            <select
              value={options.receipts}
              onChange={({ target }) => void save({ receipts: target.value })}
              className="mt-1 min-h-11 w-full rounded-md border border-edge bg-surface px-2"
            >
              {RECEIPTS.map((kind) => (
                <option key={kind} value={kind}>
                  {w.settings.receiptsOf[kind]}
                </option>
              ))}
            </select>
            <span className="mt-1 block text-sm text-soft">{w.settings.receiptsHint}</span>
          </label>
        </section>
        {troubles.length > 0 && (
          <section aria-labelledby="troubles" className="border-t border-line pt-4">
            <h3 id="troubles">{w.settings.troubles}</h3>
            <ul className="mt-2 text-sm text-bad">
              {[...new Set(troubles)].map((trouble) => (
                <li key={trouble}>{trouble}</li>
              ))}
            </ul>
          </section>
        )}
        <p className="border-t border-line pt-4 text-sm">
          <a href={`/phones/${phone}/inbox`} className="inline-flex min-h-11 items-center text-accent underline">
            {w.settings.json}
          </a>
        </p>
      </div>
    </>
  );
}

function Switch({ label, isOn, onChange }: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <label className="flex min-h-11 items-center justify-between gap-3">
      {label}
      <input
        type="checkbox"
        role="switch"
        aria-checked={isOn}
        checked={isOn}
        onChange={({ target }) => onChange(target.checked)}
        className="size-6 accent-accent"
      />
    </label>
  );
}
