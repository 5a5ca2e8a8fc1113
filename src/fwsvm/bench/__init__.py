"""`make bench`: our training times next to those of other SVM trainers."""
