from datetime import datetime, timedelta

tomorrow = (datetime.now().astimezone() + timedelta(days=1)).replace(hour=9, minute=0, second=0, microsecond=0)
delivery = {"at": tomorrow.isoformat()}
sent = api("POST", "/messages/text", {"to": "5511900000002", "text": "Bom dia!", "delivery": delivery})
print(sent["status"])
# O cliente desistiu, então nada será enviado.
print(api("DELETE", f"/messages/waiting/{sent['message_id']}")["data"]["count"])
