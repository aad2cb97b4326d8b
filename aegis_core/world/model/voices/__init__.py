"""How a member talks: length, layout, headings, hedging, small talk. Content comes from the roles alone."""

from aegis_core.world.model.voices.composing import Piece, at_length, composed, said
from aegis_core.world.model.voices.traits import Voice, voice_of

__all__ = ["Piece", "Voice", "at_length", "composed", "said", "voice_of"]
