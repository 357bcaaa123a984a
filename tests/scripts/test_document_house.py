"""The page of the house: its picture and its tables match the sources."""

import re

import document_house
import structure
import test_house


def test_the_picture_is_that_of_the_imports_of_today():
    made = document_house.picture(document_house.room_arrows(structure.arrows()))
    assert document_house.PICTURE.read_text() == made, "run: python scripts/document_house.py"


def test_no_number_of_the_page_is_above_its_ceiling():
    page = document_house.PAGE.read_text()
    for name, ceiling in test_house.CEILINGS.items():
        now = re.search(rf"^\| {re.escape(name)} \| ([\d,]+) \|$", page, re.MULTILINE)
        if "lines" not in name:  # line counts have ceilings, set now and then
            assert now and int(now[1].replace(",", "")) <= ceiling, name
