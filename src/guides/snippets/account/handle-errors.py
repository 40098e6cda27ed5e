try:
    api("GET", "/instances/00000000-0000-4000-8000-000000000000")
except ApiError as error:
    if error.code == "instance_not_found":
        print("not there, or of another account")
    elif error.status == 429 or error.status >= 502:
        print("again in", max(error.retry_after, 1), "s")
    else:
        raise
