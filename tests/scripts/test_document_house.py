"""The picture of the house matches the sources."""

import document_house
import structure


def test_the_picture_is_that_of_the_imports_of_today():
    made = document_house.picture(document_house.room_arrows(structure.arrows()))
    assert document_house.PICTURE.read_text() == made, "run: python scripts/document_house.py"
