// `gateway login` opens this page: the user chooses a connection and confirms, and the command gets its own key.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, reading } from "../../api/client.ts";
import { addressWithKey, type CommandLineLogin, commandLineLogin } from "../../domain/command-line.ts";
import { groupedPhone } from "../../domain/phone.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Form, Select, textOf, useForm } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Empty, Loading, Query } from "../../ui/states.tsx";
import { toast } from "../../ui/toast.tsx";
import { INTEGRATIONS, SHELL } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

const LISTED = 100;

export function CommandLine() {
  const texts = useTexts(INTEGRATIONS).commandLine;
  const [fragment] = useState(location.hash);
  const login = useQuery({ queryKey: ["command-line", fragment], queryFn: () => commandLineLogin(fragment), staleTime: Infinity });
  return (
    <div className="mx-auto grid w-full max-w-xl gap-4">
      <PageTitle>{texts.title}</PageTitle>
      {login.data === undefined ? (
        <Loading />
      ) : login.data === null ? (
        <div className="rounded-lg bg-surface">
          <Empty title={texts.none} text={texts.noneText} action={<Home />} />
        </div>
      ) : (
        <Confirmation login={login.data} />
      )}
    </div>
  );
}

function Home() {
  const texts = useTexts(SHELL).notFound;
  return (
    <ButtonLink to="/connections" kind="primary">
      {texts.home}
    </ButtonLink>
  );
}

function Confirmation({ login }: { login: CommandLineLogin }) {
  const texts = useTexts(INTEGRATIONS).commandLine;
  const owned = useQuery(reading("GET /connections", { limit: LISTED, of: "owner" }));
  const form = useForm(async (fields, idempotencyKey) => {
    const { data } = await api(
      "POST /connections/{id}/keys",
      { id: textOf(fields, "connection"), name: login.keyName },
      { idempotencyKey },
    );
    if (data.key === null) toast(texts.lost, { kind: "bad" });
    else location.assign(await addressWithKey(login, data.key));
  });
  return (
    <Panel title={texts.asks(login.host)}>
      <Query result={owned}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={texts.noConnection} text={texts.noConnectionText} action={<Home />} />
          ) : (
            <Form form={form} className="grid gap-4">
              <p>{texts.code}</p>
              <p className="font-mono text-2xl font-semibold tracking-wide">{login.code}</p>
              <Select
                label={texts.connection}
                name="connection"
                options={data.map(({ id, name, phone }) => ({
                  value: String(id),
                  label: phone === null ? name : `${name} · ${groupedPhone(phone)}`,
                }))}
              />
              <p className="text-sm text-soft">{texts.what(login.keyName)}</p>
              <FormError refused={form.refused} />
              <Button type="submit" kind="primary" busy={form.busy} className="justify-self-start">
                {texts.confirm}
              </Button>
            </Form>
          )
        }
      </Query>
    </Panel>
  );
}
