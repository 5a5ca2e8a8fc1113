"""`make bench` compares our training times with those of other SVM trainers."""
