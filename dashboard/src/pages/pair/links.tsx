import { FormDialog } from "../../ui/forms/form-dialog.tsx";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link2, MessageCircle, Share2 } from "lucide-react";
import { Suspense, useState } from "react";
import { LIMITS } from "@gateway/domain/limits.ts";
import { refresh, useChange } from "../../api/cache.ts";
import { api, reading } from "../../api/client.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { textOf, Select, TextField, useForm } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { SecretOnce } from "../../ui/code/secret-once.tsx";
import { toast } from "../../ui/toast.tsx";
import { When } from "../../ui/when.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { PAIR } from "../../texts/catalogs.ts";
import { lazyPart } from "../../ui/loading/lazy-part.tsx";

const LinkQr = lazyPart(() => import("./link-qr.tsx").then(({ LinkQr: component }) => component));

export function PairingLinks({ id, name }: { id: string; name: string }) {
  const texts = useTexts(PAIR).link;
  const [isOpen, setOpen] = useState(false);
  const [url, setUrl] = useState<string | null>(null);
  const made = (link: string) => {
    setOpen(false);
    setUrl(link);
  };
  return (
    <>
      <Button icon={Link2} onClick={() => setOpen(true)}>
        {texts.open}
      </Button>
      {isOpen && <MakeLink id={id} name={name} onClose={() => setOpen(false)} onMade={made} />}
      {url !== null && (
        <SecretOnce
          title={texts.made}
          value={url}
          words={{ once: texts.send, stored: texts.done }}
          how={<Send url={url} />}
          onStored={() => setUrl(null)}
        />
      )}
    </>
  );
}

function Send({ url }: { url: string }) {
  const texts = useTexts(PAIR).link;
  const message = `${texts.message} ${url}`;
  // Closing the share sheet without sharing is not an error.
  const share = () => void navigator.share({ text: texts.message, url }).catch(() => undefined);
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {typeof navigator.share === "function" && (
          <Button icon={Share2} onClick={share}>
            {texts.share}
          </Button>
        )}
        <a href={`https://wa.me/?text=${encodeURIComponent(message)}`} target="_blank" rel="noreferrer" className={buttonClass()}>
          <MessageCircle size={16} aria-hidden className="shrink-0" />
          {texts.whatsapp}
        </a>
      </div>
      <p className="text-soft">{texts.scan}</p>
      <Suspense fallback={<div className="aspect-square w-48 max-w-full" />}>
        <LinkQr url={url} label={texts.qr} />
      </Suspense>
    </>
  );
}

type MakeProps = { id: string; name: string; onClose: () => void; onMade: (url: string) => void };

function MakeLink({ id, name, onClose, onMade }: MakeProps) {
  const texts = useTexts(PAIR).link;
  const client = useQueryClient();
  const form = useForm(async (fields, idempotencyKey) => {
    const given = { id, label: textOf(fields, "label"), minutes: Number(fields.get("minutes")) };
    const { data } = await api("POST /connections/{id}/pairing-links", given, { idempotencyKey });
    void refresh(client, ["GET /connections/{id}/pairing-links"]);
    // It is missing if the response is a replay of a completed request.
    if (data.url === null) toast(texts.lost, { kind: "bad" });
    else onMade(data.url);
  });
  const periods = [
    { value: "60", label: texts.hour },
    { value: "10", label: texts.tenMinutes },
    { value: "1440", label: texts.day },
  ];
  return (
    <FormDialog
      title={texts.title}
      form={form}
      submit={texts.make}
      onClose={onClose}
      about={<p>{texts.about}</p>}
      foot={<ValidLinks id={id} />}
    >
      <TextField
        label={texts.label}
        name="label"
        characters={LIMITS.keyNameCharacters}
        required
        defaultValue={name}
        autoComplete="off"
        data-autofocus
      />
      <Select label={texts.minutes} name="minutes" options={periods} />
    </FormDialog>
  );
}

function ValidLinks({ id }: { id: string }) {
  const texts = useTexts(PAIR).link;
  const links = useQuery(reading("GET /connections/{id}/pairing-links", { id })).data?.data ?? [];
  const revoke = useChange("DELETE /connections/{id}/pairing-links/{link_id}", ["GET /connections/{id}/pairing-links"]);
  const valid = links.filter(({ ended }) => ended === null);
  if (valid.length === 0) return null;
  return (
    <section aria-label={texts.existing}>
      <h3>{texts.existing}</h3>
      <ul>
        {valid.map(({ id: link_id, label, expires_at }) => (
          <li key={link_id} className="flex flex-wrap items-center justify-between gap-3 border-b border-line py-2 last:border-b-0">
            <span className="min-w-0">
              <span className="font-semibold break-words">{label}</span>{" "}
              <span className="text-soft">
                {texts.expires} <When time={expires_at} />
              </span>
            </span>
            <Button
              kind="danger"
              aria-label={texts.named(texts.revoke, label)}
              busy={revoke.isPending}
              onClick={() => revoke.mutate({ id, link_id }, { onSuccess: () => toast(texts.revoked) })}
            >
              {texts.revoke}
            </Button>
          </li>
        ))}
      </ul>
      {revoke.error !== null && <FormError refused={revoke.error} />}
    </section>
  );
}
