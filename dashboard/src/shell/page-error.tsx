import type { ErrorComponentProps } from "@tanstack/react-router";

export function PageError({ error }: ErrorComponentProps) {
  return <h1>{String(error)}</h1>;
}
