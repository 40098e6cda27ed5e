foreach (api("GET", "/me/export")["data"]["instances"] as $instance) {
    $records = 0;
    for ($cursor = ""; $cursor !== null; ) {
        $page = api("GET", "/instances/" . $instance["id"] . "/export" . ($cursor === "" ? "" : "?cursor=" . urlencode($cursor)));
        $records += count($page["data"]);
        $cursor = $page["next_cursor"];
    }
    echo $instance["name"], " ", $records, "\n";
}
