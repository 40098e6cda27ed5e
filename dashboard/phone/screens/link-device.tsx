import { ScanQrCode } from "lucide-react";
import { type DragEvent, useEffect, useEffectEvent, useId, useState } from "react";
import { to, useAddress } from "../network/address.ts";
import { change } from "../network/control.ts";
import { pictureIn, readQr } from "../network/read-qr.ts";
import { toast } from "../../src/ui/toast.tsx";
import { fieldOf, useAction } from "../network/action.ts";
import { Button } from "../../src/ui/button.tsx";
import { TextField } from "../../src/ui/forms/field.tsx";
import { ScreenBar } from "../widgets/pieces.tsx";
import { usePhoneTexts } from "../texts/texts.ts";

export function LinkDevice({ phone, isCodeAsked }: { phone: string; isCodeAsked: boolean }) {
  const w = usePhoneTexts();
  const act = useAction();
  const { about } = useAddress();
  const isCode = about === "code";
  const [isLinking, setLinking] = useState(false);
  const link = async (path: "/scan" | "/code", body: object): Promise<void> => {
    setLinking(true);
    const linked = await act(() => change(phone, "POST", path, body), w.scan.linked);
    setLinking(false);
    if (linked !== undefined) location.assign(to(phone, "devices"));
  };
  return (
    <>
      <ScreenBar title={w.scan.title} back={to(phone, "devices")} />
      <nav aria-label={w.scan.title} className="grid grid-cols-2 border-b border-line bg-surface">
        <Tab href={to(phone, "link")} isOpen={!isCode}>
          {w.scan.qrTab}
        </Tab>
        <Tab href={to(phone, "link", "code")} isOpen={isCode}>
          {isCodeAsked ? `${w.scan.codeTab} ●` : w.scan.codeTab}
        </Tab>
      </nav>
      <div className="min-h-0 flex-1 overflow-y-auto bg-surface p-4" aria-busy={isLinking}>
        {isCode ? (
          <form action={(form) => link("/code", { code: fieldOf(form, "code") })} className="space-y-4">
            {isCodeAsked && <p className="font-semibold">{w.devices.codeRequested}</p>}
            <TextField
              label={w.scan.code}
              hint={w.scan.codeHint}
              name="code"
              required
              pattern="[0-9A-Za-z]{4}-?[0-9A-Za-z]{4}"
              autoCapitalize="characters"
              spellCheck={false}
            />
            <Button type="submit" kind="primary" className="w-full" disabled={isLinking}>
              {isLinking ? w.scan.linking : w.scan.link}
            </Button>
          </form>
        ) : (
          <QrForm onText={(qr) => link("/scan", { qr })} isLinking={isLinking} />
        )}
      </div>
    </>
  );
}

function QrForm({ onText, isLinking }: { onText: (text: string) => Promise<void>; isLinking: boolean }) {
  const w = usePhoneTexts();
  const field = useId();
  const [isOver, setOver] = useState(false);
  const look = async (picture: Blob | null | undefined): Promise<void> => {
    if (!picture) return;
    const read = await readQr(picture);
    if (read.ok) await onText(read.text);
    else toast(w.scan[read.problem], { kind: "bad" });
  };
  const pasted = useEffectEvent((event: ClipboardEvent) => {
    const picture = event.clipboardData && pictureIn(event.clipboardData);
    if (!picture) return;
    event.preventDefault();
    void look(picture);
  });
  useEffect(() => {
    const listener = (event: ClipboardEvent): void => pasted(event);
    document.addEventListener("paste", listener);
    return () => document.removeEventListener("paste", listener);
  }, []);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const picture = pictureIn(event.dataTransfer);
    if (picture === null) toast(w.scan.noPicture, { kind: "bad" });
    void look(picture);
  };
  return (
    <>
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        className={`relative mx-auto flex aspect-square w-full max-w-72 flex-col items-center justify-center gap-4 rounded-lg border-2 border-dashed p-6 text-center ${isOver ? "border-accent bg-tint" : "border-edge"}`}
      >
        <ScanQrCode aria-hidden="true" className="size-16 text-soft" strokeWidth={1.25} />
        <p className="text-sm">{isLinking ? w.scan.linking : w.scan.aim}</p>
        <label className="inline-flex min-h-11 cursor-pointer items-center rounded-md bg-accent px-4 font-semibold text-on-accent focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent">
          {w.scan.choose}
          <input
            type="file"
            accept="image/*"
            className="sr-only"
            disabled={isLinking}
            onChange={({ target }) => {
              void look(target.files?.[0]);
              target.value = "";
            }}
          />
        </label>
      </div>
      <form action={(form) => onText(fieldOf(form, "qr"))} className="mt-6 space-y-2">
        <label htmlFor={field} className="block text-sm font-semibold">
          {w.scan.paste}
        </label>
        <textarea
          id={field}
          name="qr"
          rows={3}
          required
          spellCheck={false}
          aria-describedby={`${field}-hint`}
          className="block w-full rounded-md border border-edge bg-surface p-2 font-mono text-code"
        />
        <p id={`${field}-hint`} className="text-sm text-soft">
          {w.scan.pasteHint}
        </p>
        <Button type="submit" className="w-full" disabled={isLinking}>
          {isLinking ? w.scan.linking : w.scan.link}
        </Button>
      </form>
    </>
  );
}

function Tab({ href, isOpen, children }: { href: string; isOpen: boolean; children: string }) {
  return (
    <a
      href={href}
      aria-current={isOpen ? "page" : undefined}
      className="flex min-h-11 items-center justify-center border-b-2 border-transparent text-soft aria-[current]:border-accent aria-[current]:font-semibold aria-[current]:text-ink"
    >
      {children}
    </a>
  );
}
