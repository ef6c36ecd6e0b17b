"""Game packages; those in `games` folders further along the path belong to it, too."""

from pkgutil import extend_path

__path__ = extend_path(__path__, __name__)
