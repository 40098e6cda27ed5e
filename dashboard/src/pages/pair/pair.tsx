export function Pair() {
  return <h1>Pair</h1>;
}
