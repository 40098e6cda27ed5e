try {
    api("GET", "/instances/00000000-0000-4000-8000-000000000000");
} catch (ApiError $error) {
    if ($error->error === "instance_not_found") {
        echo "not there, or of another account", PHP_EOL;
    } elseif ($error->status === 429 || $error->status >= 502) {
        echo "again in ", max($error->retryAfter, 1), " s", PHP_EOL;
    } else {
        throw $error;
    }
}
