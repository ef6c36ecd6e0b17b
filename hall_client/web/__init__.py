"""The web hall: serves the page of `hall_client/webapp`, and tells it where the hall is.

The page speaks to the gateways itself, sealed; this server sees nothing of that. It never has
a player's secret.
"""
